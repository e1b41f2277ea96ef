// Checks glTF files with the validator of Khronos: node validate_gltf.mjs FILE... exits with 1 if one has an error or a warning. The package gltf-validator is
// looked for in studio/web/node_modules.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';

const require = createRequire(new URL('../../studio/web/package.json', import.meta.url));
const validator = require('gltf-validator');
let bad = 0;
for (const file of process.argv.slice(2)) {
  const {issues} = await validator.validateBytes(new Uint8Array(readFileSync(file)), {maxIssues: 0});
  console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
  for (const m of issues.messages) if (m.severity < 2) console.log(`  ${m.code} ${m.pointer ?? ''} ${m.message}`);
  bad += issues.numErrors + issues.numWarnings;
}
process.exit(bad > 0 ? 1 : 0);

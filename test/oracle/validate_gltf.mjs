// The Khronos validator on glTF files: node validate_gltf.mjs FILE...
// Prints every error and warning; ends with 0 when no file has an error, 1 when one has, 77 (skipped) when the validator is not installed.
import { readFileSync } from 'node:fs';

let validator;
try {
  validator = (await import('gltf-validator')).default;
} catch {
  console.error('gltf-validator is not installed: run npm install in test/oracle');
  process.exit(77);
}

let failed = false;
for (const path of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: path, maxIssues: 50 });
  const { numErrors, numWarnings } = report.issues;
  for (const issue of report.issues.messages) {
    if (issue.severity <= 1) console.log(`${path}: ${issue.severity === 0 ? 'error' : 'warning'}: ${issue.pointer ?? ''}: ${issue.message}`);
  }
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings`);
  failed ||= numErrors > 0;
}
process.exit(failed ? 1 : 0);

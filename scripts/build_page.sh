#!/bin/bash
# scripts/build_page.sh [--tests | --is-made]: make the studio's page, studio/web/dist, unless it is there already and was made from the sources as they are.
#   What npm needs is fetched once; after that it works offline. --tests fetches what the tests of the page need besides, --is-made only says by its exit status
#   whether the page is there. Several builds may call it at once.
set -euo pipefail
cd "$(dirname "$0")/../studio/web"
exec 9>.build.lock
flock 9

# Without a network every build asks again: npm's own patience, more than a minute, would be spent each time. What it fetched for another copy of the
# project serves here too; the lock file has the sums of all of it.
patience=(--prefer-offline --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --fetch-timeout=30000)

install() { # option of npm...
  npm ci --no-audit --no-fund --loglevel=error "${patience[@]}" "$@" >&2 && sha256sum package-lock.json >node_modules/.installed-from
}

is_installed() {
  [ "$(cat node_modules/.installed-from 2>/dev/null)" = "$(sha256sum package-lock.json)" ]
}

made_from=$(find src index.html package.json package-lock.json tsconfig.json vite.config.ts -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
is_made() {
  [ -f dist/index.html ] && [ "$(cat .made-from 2>/dev/null)" = "$made_from" ]
}

if [ "${1:-}" = --is-made ]; then
  is_made
  exit
fi
if [ "${1:-}" = --tests ]; then
  is_installed && [ -d node_modules/playwright-core ] || install
fi
is_made && exit 0
if ! is_installed && ! install --omit=dev; then
  # Without a network the tool is built all the same; the page it shows then says what is missing.
  if [ -f dist/index.html ]; then page="the page of an earlier build"; else page="a plain page"; fi
  echo "warning: npm could not fetch what the studio's page is made with; \`pliant view\` will have $page" >&2
  exit 0
fi
npm run --silent build >&2
echo "$made_from" >.made-from

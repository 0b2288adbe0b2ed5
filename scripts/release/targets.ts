/** The platforms that a release has an executable for. */
import type { Build } from 'bun';

export type Target = {
  /** In the name of the archive. */
  readonly name: string;
  /** The npm package of the runtime. */
  readonly runtime: string;
  readonly compile: Build.CompileTarget;
};

export const targets: readonly Target[] = [
  { name: 'linux-x64', runtime: '@oven/bun-linux-x64', compile: 'bun-linux-x64' },
  { name: 'linux-arm64', runtime: '@oven/bun-linux-aarch64', compile: 'bun-linux-arm64' },
  { name: 'linux-x64-musl', runtime: '@oven/bun-linux-x64-musl', compile: 'bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', runtime: '@oven/bun-linux-aarch64-musl', compile: 'bun-linux-arm64-musl' },
  { name: 'macos-x64', runtime: '@oven/bun-darwin-x64', compile: 'bun-darwin-x64' },
  { name: 'macos-arm64', runtime: '@oven/bun-darwin-aarch64', compile: 'bun-darwin-arm64' },
];

/** What a release says in place of an executable. */
export const withoutExecutable =
  'Windows: no executable. Threads of the server are found by POSIX paths, and no test here runs on Windows. Use WSL, or the image.';

const platform = process.platform === 'darwin' ? 'macos' : process.platform;
/** This machine, which is assumed to have glibc if it has Linux. */
export const hostTarget: Target | undefined = targets.find(({ name }) => name === `${platform}-${process.arch}`);

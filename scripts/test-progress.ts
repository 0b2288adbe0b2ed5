/** Passes the output of `bun test` on as it is, and says before each test file how many are done. */

/** Bun names each file on a line of its own before its tests, in colour where there is a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const fileLine = /^(?:\x1b\[[\d;]*m)*(?:::group::)?(\S+\.test\.ts):(?:\x1b\[[\d;]*m)*$/;

export class TestProgress {
  #done = -1;
  #rest = '';

  constructor(
    /** Of files; undefined where it is not known which are chosen. */
    readonly total: number | undefined,
    readonly write: (text: string) => void,
    readonly seconds: () => number,
  ) {}

  /** Text as it arrives, in pieces of any size. */
  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#pass(line);
  }

  end(): void {
    if (this.#rest !== '') this.write(this.#rest);
    this.#rest = '';
  }

  #pass(line: string): void {
    if (fileLine.test(line)) {
      this.#done++;
      const of = this.total === undefined ? '' : ` of ${this.total}`;
      this.write(`[${this.#done}${of} test files done, ${this.seconds()} s]\n`);
    }
    this.write(`${line}\n`);
  }
}

/** How many test files `bun test` takes for these arguments; undefined where options are among them. */
export function chosenFiles(files: readonly string[], given: readonly string[]): number | undefined {
  if (given.some((argument) => argument.startsWith('-'))) return undefined;
  const paths = given.map((path) => path.replace(/^\.\//, ''));
  return files.filter((file) => paths.length === 0 || paths.some((path) => file.includes(path))).length;
}

/** Forwards the output of `bun test` unchanged, with a progress line before each test file, and remembers why tests failed. */

/** Bun prints the file name before its tests, and again when two files run in parallel and alternate; coloured on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const fileLine = /^(?:\x1b\[[\d;]*m)*(?:::group::)?(\S+\.test\.ts):(?:\x1b\[[\d;]*m)*$/;

/** A test's result; the lines before it are its output. On a terminal it has a sign instead of a word. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const resultLine = /^(?:\x1b\[[\d;]*m)*(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) /;
/** A file that cannot be loaded, or an error that no test awaited. */
const unhandledLine = '# Unhandled error between tests';
/** Bun's own list of the failed tests, at the end. */
const summaryLine = /^\d+ tests? failed:$/;
/** The lines of output to remember for a failure: enough for the error and the place. */
const remembered = 40;

export class TestProgress {
  readonly #begun = new Set<string>();
  readonly #failures: string[] = [];
  readonly #failedFiles = new Set<string>();
  #output: string[] = [];
  #file = '';
  #summary = false;
  #rest = '';

  constructor(
    /** The number of files; undefined if it is not known which are chosen. */
    readonly total: number | undefined,
    readonly write: (text: string) => void,
    readonly seconds: () => number,
  ) {}

  /** Takes output in pieces of any size. */
  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#pass(line);
  }

  /** Each failed test, with the end of its output. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** The files of these tests, and those with an error outside their tests. */
  get failedFiles(): readonly string[] {
    return [...this.#failedFiles];
  }

  end(): void {
    if (this.#rest !== '') this.write(this.#rest);
    this.#rest = '';
  }

  #pass(line: string): void {
    const file = fileLine.exec(line)?.[1];
    if (file !== undefined && !this.#begun.has(file)) {
      this.#begun.add(file);
      const of = this.total === undefined ? '' : ` of ${this.total}`;
      this.write(`[test file ${this.#begun.size}${of}, ${this.seconds()} s]\n`);
    }
    this.write(`${line}\n`);
    this.#remember(line, file);
  }

  #remember(line: string, file: string | undefined): void {
    this.#summary ||= summaryLine.test(line);
    if (line === unhandledLine) this.#failedFiles.add(this.#file);
    const result = resultLine.exec(line);
    if (result === null && file === undefined) {
      this.#output.push(line);
      return;
    }
    const failed = result?.[1] === 'fail' || result?.[2] === '✗';
    if (failed && !this.#summary) {
      this.#failures.push([`${this.#file}:`, ...this.#output.slice(-remembered), line].join('\n'));
      this.#failedFiles.add(this.#file);
    }
    this.#output = [];
    this.#file = file ?? this.#file;
  }
}

/** The number of test files that `bun test` runs for these arguments; undefined if they include options. */
export function chosenFiles(files: readonly string[], given: readonly string[]): number | undefined {
  if (given.some((argument) => argument.startsWith('-'))) return undefined;
  const paths = given.map((path) => path.replace(/^\.\//, ''));
  return files.filter((file) => paths.length === 0 || paths.some((path) => file.includes(path))).length;
}

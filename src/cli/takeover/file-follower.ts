/**
 * Takes over what the configuration file has become. With --watch-config, whatever a start with it would do. Without it, only a text that
 * the database has been brought to: another instance has left the tag of the text there, or no step is left to do.
 */
import { lineOf, type Mistake } from '../../declarations/mistakes.ts';
import { type Permission, requirePermitted } from '../../declarations/refusal.ts';
import { renamesIn } from '../../declarations/renames.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { LogLevel } from '../../http/observe/log-entry.ts';
import type { Outcome } from './config-watch.ts';
import type { Declared } from './generation.ts';
import type { LiveSettings } from './live-settings.ts';
import { ChangedMeanwhile, tagOf } from './settings-file.ts';
import type { Takeover } from './takeover.ts';

export type FollowerOptions = {
  readonly live: LiveSettings;
  takeover(): Takeover;
  /** What a start may do. */
  readonly permission: Permission;
  readonly isWatching: boolean;
  log(level: LogLevel, message: string): void;
};

export class FileFollower {
  /** Each reason is logged once. */
  #said = '';

  constructor(readonly options: FollowerOptions) {}

  look(): Promise<Outcome> {
    return this.options.takeover().alone(() => this.#look());
  }

  async #look(): Promise<Outcome> {
    const { live, permission, isWatching, log } = this.options;
    const takeover = this.options.takeover();
    const { file } = live;
    try {
      const text = file.read();
      if (text === undefined || text === live.served) return 'served';
      const next = live.declaredIn(text);
      if (!isWatching && !(await this.#isTakenOver(text, next))) return 'wait';
      if (Array.isArray(next)) return this.#refuse(next.map(lineOf).join('; '));
      const { changes } = await takeover.store.succession.plan(next.collections, false);
      requirePermitted(changes, permission);
      if (isWatching) this.#requireNoRename(next, changes);
      await live.exchange(next, text, permission, () => {
        if (file.read() !== text) throw new ChangedMeanwhile();
      });
      log('info', `${file.name} was edited, and is served.`);
      this.#said = '';
      return 'served';
    } catch (error) {
      // The next look finds the other text.
      if (error instanceof ChangedMeanwhile) return 'wait';
      if (error instanceof Failure) return this.#refuse(error.detail);
      return this.#refuse(error instanceof Error ? error.message : String(error));
    }
  }

  /** Another instance has taken the text over, or a start or `shelf migrate` has done its steps and those served fit no more. */
  async #isTakenOver(text: string, next: Declared | Mistake[]): Promise<boolean> {
    const { store, declared } = this.options.takeover();
    if ((await store.succession.fileTag()) === tagOf(text)) return true;
    const fits = async ({ collections }: Declared) => {
      const { changes } = await store.succession.plan(collections, false);
      return changes.every(({ steps }) => steps.length === 0);
    };
    return !Array.isArray(next) && (await fits(next)) && !(await fits(declared));
  }

  /** A start would serve the new collection empty, and leave the records of the other one unserved. */
  #requireNoRename({ collections }: Declared, changes: Parameters<typeof renamesIn>[0]['changes']): void {
    const names = collections.map(({ name }) => name);
    const served = this.options.takeover().declared.collections.map(({ name }) => name);
    const unserved = served.filter(
      (name) => !names.includes(name) && !changes.some(({ before }) => before?.name === name),
    );
    const [rename] = renamesIn({ changes, unserved }).filter(({ collection }) => collection === null);
    if (rename === undefined) return;
    throw new StartError(
      `If ${rename.from} is called ${rename.to.join(' or ')} now, declare "was": "${rename.from}" there: its records are kept. Otherwise add the one and remove the other in two edits.`,
    );
  }

  #refuse(why: string): Outcome {
    const { live, log } = this.options;
    if (why !== this.#said)
      log('warn', `${live.file.name} was edited, and not taken over; what was served before goes on. ${why}`);
    this.#said = why;
    return 'wait';
  }
}

/** The configuration file of a running server, for `/api/v2/settings`: what it is, what a change would do, and the change. */
import { collectionsOf } from '../../collections/registry.ts';
import { lineOf, type Mistake } from '../../declarations/mistakes.ts';
import { declarationsOf } from '../../declarations/plan.ts';
import { isPermitted, type Permission, type Plan } from '../../declarations/refusal.ts';
import { renamesIn } from '../../declarations/renames.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import {
  planBody,
  type ServedSettings,
  type SettingsPlan,
  type SettingsState,
  type SettingsText,
} from '../../http/admin/settings.ts';
import type { LogLevel } from '../../http/observe/log-entry.ts';
import { type ConfigFile, type FileContent, readConfigText } from '../config/config-file.ts';
import type { Config } from '../settings/settings.ts';
import { allSettings } from '../settings/settings.ts';
import type { Declared } from './generation.ts';
import { ChangedMeanwhile, noText, SettingsFile, tagOf } from './settings-file.ts';
import type { Takeover } from './takeover.ts';

export type LiveOptions = {
  readonly config: Pick<Config, 'access' | 'database'>;
  /** The file that the server was started with; undefined for none. */
  readonly file: Pick<ConfigFile, 'path' | 'text' | 'settings'> | undefined;
  /** Why no change is accepted, whatever the file is; undefined if changes are. */
  readonly closed: string | undefined;
  takeover(): Takeover;
  /** Copies the database before a step that loses values; undefined where the engine has no such copy. */
  readonly backUp: ((declared: Declared) => Promise<void>) | undefined;
  log(level: LogLevel, message: string): void;
};

/** What an operator may do who has seen the plan. */
const decided: Permission['risks'] = ['none', 'check'];

export class LiveSettings implements ServedSettings {
  readonly file: SettingsFile;
  /** The text that is served; undefined for no file. */
  #served: string | undefined;

  constructor(readonly options: LiveOptions) {
    this.file = new SettingsFile(options.file?.path);
    this.#served = options.file?.text;
  }

  async current(): Promise<SettingsState> {
    const text = this.file.read();
    return {
      file: text === undefined ? null : this.file.name,
      text: text ?? noText,
      tag: tagOf(text ?? noText),
      reason: this.#reason ?? null,
      isServed: text === this.#served,
      collections: declarationsOf(this.options.takeover().declared.collections),
    };
  }

  async plan(text: string): Promise<SettingsPlan> {
    const read = this.declaredIn(text);
    if (Array.isArray(read)) return { mistakes: read, steps: [], renames: [], violations: [] };
    return planned(await this.options.takeover().store.succession.plan(read.collections, true));
  }

  change(sent: SettingsText, match: readonly string[] | undefined, by: string): Promise<SettingsState> {
    const takeover = this.options.takeover();
    return takeover.alone(async () => {
      const { backUp, log } = this.options;
      const reason = this.#reason;
      if (reason !== undefined)
        throw new Failure('forbidden', { detail: `The file cannot be changed here: ${reason}.` });
      const former = this.file.read();
      if (match !== undefined && !match.includes(tagOf(former ?? noText))) throw changedMeanwhile();
      if (sent.text === former && sent.text === this.#served) return this.current();
      const next = this.declaredIn(sent.text);
      if (Array.isArray(next)) throw mistaken(next);
      const permission = { risks: decided, allowed: sent.allow };
      const plan = await takeover.store.succession.plan(next.collections, true);
      const losses = requireDecided(plan, permission);
      if (losses && backUp !== undefined)
        await this.#onDisk('The backup before the loss of values failed', () => backUp(takeover.declared));
      await this.#replace(next, sent.text, former, permission);
      log('info', `${this.file.name} was changed${by === '' ? '' : ` by ${by}`}, and is served.`);
      return this.current();
    });
  }

  get #reason(): string | undefined {
    return this.options.closed ?? this.file.obstacle;
  }

  /** Undefined for no file. */
  get served(): string | undefined {
    return this.#served;
  }

  /** Call it when nothing else is exchanged. Rejects with a StartError, a Failure, or what `beforeCommit` throws. */
  async exchange(next: Declared, text: string, permission: Permission, beforeCommit: () => void): Promise<void> {
    await this.options.takeover().exchange(next, { permission, fileTag: tagOf(text), beforeCommit });
    this.#served = text;
  }

  async #isCommitted(text: string): Promise<boolean> {
    const { succession } = this.options.takeover().store;
    return (await succession.fileTag().catch(() => undefined)) === tagOf(text);
  }

  async #replace(next: Declared, text: string, former: string | undefined, permission: Permission): Promise<void> {
    const prepared = await this.#onDisk('The configuration file cannot be written', () =>
      this.file.prepare(text, former),
    );
    try {
      await this.exchange(next, text, permission, prepared.publish).catch(async (error) => {
        // The answer to the commit can be lost: then there is nothing left to migrate, and the new file stays.
        if (!prepared.isPublished || !(await this.#isCommitted(text))) throw error;
        await this.exchange(next, text, permission, () => {});
      });
    } catch (error) {
      prepared.undo();
      if (error instanceof ChangedMeanwhile) throw changedMeanwhile();
      // Its line is for an operator, who is the caller.
      if (error instanceof StartError) throw new Failure('plan_refused', { detail: error.message, cause: error });
      throw error;
    }
  }

  /** Refuses the change if `write` fails. Its error may have paths, which are for the log alone. */
  async #onDisk<Result>(failed: string, write: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.options.log('error', `${failed}, so nothing was changed. ${why}`);
      throw new Failure('storage_unavailable', {
        detail: `${failed}, so nothing was changed: check the room on the disk and the permissions of the folder, and retry. The server's log has the reason.`,
        cause: error,
      });
    }
  }

  /** What a start with this text would serve, or all its mistakes. */
  declaredIn(text: string): Declared | Mistake[] {
    const content = readConfigText(text, allSettings);
    if (Array.isArray(content)) return content;
    const mistakes = [...this.#settingMistakes(content), ...this.#roleMistakes(content)];
    if (mistakes.length > 0) return mistakes;
    return { collections: collectionsOf(content.declarations, content.without), rules: content.access };
  }

  /** Ports, limits and keys are those of the start. */
  #settingMistakes({ settings }: FileContent): Mistake[] {
    const known = this.options.file?.settings ?? new Map<string, string>();
    const flags = [...new Set([...known.keys(), ...settings.keys()])];
    return flags
      .filter((flag) => known.get(flag) !== settings.get(flag))
      .map((flag) => ({
        path: `settings.${flag.slice(2)}`,
        message: `takes effect only at a start, so it cannot be changed while the server runs: leave it as ${known.get(flag) ?? 'it is, without a value'}`,
      }));
  }

  #roleMistakes({ access }: FileContent): Mistake[] {
    if (access === undefined || this.options.config.access.auth !== 'off') return [];
    return [{ path: 'roles', message: 'need --auth write or --auth all: with --auth off no request has a caller' }];
  }
}

/** Throws `plan_refused` with the plan. Returns whether values are lost. */
function requireDecided(plan: Plan, permission: Permission): boolean {
  const steps = plan.changes.flatMap((change) => change.steps);
  const undecided = steps.filter((step) => !isPermitted(step, permission));
  const lines = [...undecided, ...plan.violations].map(({ text }) => text);
  if (lines.length === 0) return steps.some(({ risk }) => risk === 'loss');
  const what = undecided.length > 0 ? 'These steps need a decision, or cannot be done' : 'These records do not fit';
  throw new Failure('plan_refused', {
    detail: `${what}: ${lines.slice(0, 20).join('; ')}. Nothing was changed.`,
    members: { plan: planBody(planned(plan)) },
  });
}

function planned(plan: Plan): SettingsPlan {
  const steps = plan.changes.flatMap((change) => change.steps);
  return {
    mistakes: [],
    steps: steps.map(({ text, risk, allow = null, records = null, judges }) => {
      const failing = plan.violations.filter(({ path }) => path === judges).flatMap(({ recordIds }) => recordIds);
      return { text, risk, allow, records, failing };
    }),
    renames: renamesIn(plan),
    violations: plan.violations.map(({ text }) => text),
  };
}

function mistaken(mistakes: readonly Mistake[]): Failure {
  return new Failure('invalid_body', {
    detail: `The text has mistakes, and nothing was changed: ${mistakes.slice(0, 20).map(lineOf).join('; ')}.`,
    problems: mistakes.map((one) => ({ field: 'text', message: lineOf(one) })),
    members: { mistakes },
  });
}

function changedMeanwhile(): Failure {
  return new Failure('precondition_failed', {
    detail: 'The configuration file was changed meanwhile: read it again, and make the change in its present text.',
  });
}

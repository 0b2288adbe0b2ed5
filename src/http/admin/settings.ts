/** The configuration file over HTTP: reading it, the plan of a change, and the change, which the running server takes over. */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import { collection } from '../../domain/record/collection.ts';
import type { Declarations } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { type Bodies, bodyFailures } from '../body/json-body.ts';
import type { OpenAnswers } from '../limits/open-answers.ts';
import { type Audit, auditOf } from '../observe/audit.ts';
import { preconditionOf } from '../route/etag.ts';
import { jsonContent, type Operation, type Parameter, readFailures, writeFailures } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { oneOf } from '../route/schemas.ts';

/** What a change is to be. */
export type SettingsText = { readonly text: string; readonly allow: readonly string[] };

export type SettingsState = {
  /** The name of the file without its folder; null if there is none. */
  readonly file: string | null;
  readonly text: string;
  /** Of the text, quoted. */
  readonly tag: string;
  /** Why the file cannot be changed here; null if it can. */
  readonly reason: string | null;
  /** Whether the text of the file is what is served. */
  readonly isServed: boolean;
  /** Those in effect. */
  readonly collections: Declarations;
};

export type PlannedStep = {
  readonly text: string;
  readonly risk: 'none' | 'check' | 'loss' | 'refused';
  readonly allow: string | null;
  /** Records that are changed, converted or lose a value; null if the step concerns none. */
  readonly records: number | null;
  /** Ids of the first records that do not fit. */
  readonly failing: readonly string[];
};

export type PlannedRename = {
  /** Null for a collection. */
  readonly collection: string | null;
  readonly from: string;
  readonly to: readonly string[];
};

export type SettingsPlan = {
  readonly mistakes: readonly { readonly path: string; readonly message: string }[];
  readonly steps: readonly PlannedStep[];
  /** What is removed and added, and may have been renamed. */
  readonly renames: readonly PlannedRename[];
  /** One line for each of the first records that do not fit. */
  readonly violations: readonly string[];
};

/** Implemented by the server, on its main thread. */
export interface ServedSettings {
  current(): Promise<SettingsState>;
  plan(text: string): Promise<SettingsPlan>;
  /** `match`: the tags that the text of the file may have; undefined for any. Rejects with a Failure, and then nothing has changed. */
  change(sent: SettingsText, match: readonly string[] | undefined, by: string): Promise<SettingsState>;
}

/** In characters. */
const maxText = 1_000_000;

/** The body is declared and checked like a record. */
const texts = collection('settings', {
  singular: 'settings',
  fields: {
    text: { type: 'text', max: maxText },
    allow: { type: 'list', of: 'text', max: 1000, optional: true },
  },
});

const nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const stateSchema = Type.Object({
  file: Type.Union([Type.String(), Type.Null()], {
    description: 'The name of the configuration file, without its folder; null if there is none.',
  }),
  text: Type.String({ description: 'The text of the file: JSON, comments included.' }),
  is_served: Type.Boolean({
    description: 'False if the file was changed by another program and is not taken over yet.',
  }),
  editable: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not editable.' }),
  collections: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The collections in effect, as they are declared; those of the contract, too.',
  }),
});

const stepSchema = Type.Object({
  text: Type.String({ description: 'What is done, for a person.' }),
  risk: Type.Union([oneOf(['none', 'check', 'loss', 'refused'])], {
    description:
      'none: loses nothing. check: loses nothing if every record fits. loss: loses or converts values, and has to be allowed. refused: is never done.',
  }),
  loses: Type.Boolean(),
  allow: Type.Union([Type.String(), Type.Null()], {
    description: 'What `allow` has to name for the step to be done; null if it needs none.',
  }),
  records: Type.Union([Type.Integer({ format: 'int64' }), Type.Null()], {
    description: 'Records that the step changes, or that lose a value; null if it concerns none.',
  }),
  failing: Type.Array(Type.String(), { description: 'Ids of the first records that do not fit.' }),
});
const planSchema = Type.Object({
  mistakes: Type.Array(
    Type.Object({
      path: Type.String({ description: 'Such as collections.books.fields.author; empty for the syntax of the text.' }),
      message: Type.String(),
    }),
  ),
  steps: Type.Array(stepSchema),
  renames: Type.Array(
    Type.Object({
      collection: nullable(Type.String()),
      from: Type.String(),
      to: Type.Array(Type.String()),
    }),
    {
      description:
        'Fields of a collection, or collections where it is null, that are removed while others are added: "was" there keeps the values.',
    },
  ),
  violations: Type.Array(Type.String(), { description: 'One line for each of the first records that do not fit.' }),
});

const path = '/api/v2/settings';
const match: Parameter = {
  name: 'If-Match',
  description: 'The ETag that the file must have; otherwise nothing is changed and the answer is 412. Required.',
  schema: Type.String({ examples: ['"mSXoLFxjE9mCZqvCBZlVTQ"'] }),
};

export type SettingsRoutesOptions = {
  readonly settings: ServedSettings;
  readonly bodies: Bodies;
  readonly open: OpenAnswers;
  /** Absent without an audit log. */
  readonly audit: Audit | undefined;
};

export function settingsRoutes({ settings, bodies, open, audit }: SettingsRoutesOptions): Route[] {
  const example = {
    file: 'shelf.json',
    text: '{ "collections": { "books": { "singular": "book", "fields": { "title": "text" } } } }\n',
    is_served: true,
    editable: true,
    reason: null,
    collections: { books: { singular: 'book', fields: { title: { type: 'text' } } } },
  };
  const planExample = {
    mistakes: [],
    steps: [
      {
        text: 'books.draft: add the field; records get "draft" (3,201 records)',
        risk: 'none',
        loses: false,
        allow: null,
        records: 3201,
        failing: [],
      },
    ],
    renames: [],
    violations: [],
  };
  const body = jsonContent(Type.Unsafe(texts.record.draftSchema), { text: example.text, allow: ['drop:books.tags'] });

  function operation(id: string, summary: string, rest: Pick<Operation, 'answers' | 'failures'> & Partial<Operation>) {
    return { id, tag: 'service', summary, problems: true as const, ...rest };
  }

  async function sentIn(call: Call): Promise<SettingsText> {
    const { fields } = texts.record.parse(await bodies.read(call, texts.record.members));
    const { text, allow } = fields;
    return { text: String(text), allow: typeof allow === 'string' ? JSON.parse(allow) : [] };
  }

  return [
    {
      method: 'GET',
      sight: 'scope only',
      path,
      access: 'admin',
      operation: operation('readSettingsV2', 'Read the configuration file, and the collections in effect', {
        answers: [
          { status: 200, description: 'The file.', headers: ['ETag'], content: jsonContent(stateSchema, example) },
        ],
        failures: readFailures,
      }),
      handle: async () => stateReply(await settings.current()),
    },
    {
      method: 'POST',
      sight: 'scope only',
      path: `${path}/plan`,
      access: 'admin',
      operation: operation('planSettingsV2', 'Show what a change of the configuration file does to the data', {
        description: 'Changes nothing. All records are checked, so it takes time in a large database.',
        body,
        answers: [{ status: 200, description: 'The plan.', content: jsonContent(planSchema, planExample) }],
        failures: [...bodyFailures, ...readFailures],
      }),
      handle: async (call) => {
        const { text } = await sentIn(call);
        return privateReply(planBody(await settings.plan(text)));
      },
    },
    {
      method: 'PUT',
      sight: 'scope only',
      path,
      access: 'admin',
      operation: operation('changeSettingsV2', 'Replace the configuration file, and take its declarations over', {
        description:
          'The server migrates its database and goes on with the new declarations, without a restart. Settings under "settings" stay as they are. If it fails, nothing has changed.',
        headers: [match],
        body,
        answers: [{ status: 200, description: 'Done.', headers: ['ETag'], content: jsonContent(stateSchema, example) }],
        failures: ['forbidden', 'plan_refused', 'precondition_failed', ...bodyFailures, ...writeFailures],
        failureExamples: {
          plan_refused: {
            type: '/problems/plan-refused',
            title: 'The database does not fit these declarations without a decision',
            status: 409,
            detail: 'These steps need a decision: books.tags: remove the field, with its values.',
            instance: path,
            plan: planExample,
          },
        },
      }),
      handle: async (call) => {
        const when = preconditionOf(call.request, (tag) => `"${tag}"`);
        if (when?.match === undefined && call.request.header('if-match')?.trim() !== '*')
          throw new Failure('precondition_failed', {
            detail: `If-Match is required: send the ETag of GET ${path}, so that no other change is lost.`,
          });
        const sent = await sentIn(call);
        const state = await open.besides(() => settings.change(sent, when?.match, call.caller.name));
        audit?.(auditOf(call, path, { record: null, outcome: 'changed' }));
        return stateReply(state);
      },
    },
  ];
}

/** With every member of the answer. */
export function planBody({ mistakes, steps, renames, violations }: SettingsPlan) {
  return {
    mistakes,
    steps: steps.map(({ text, risk, allow, records, failing }) => ({
      ...{ text, risk, loses: risk === 'loss', allow, records, failing },
    })),
    renames,
    violations,
  };
}

function stateReply({ file, text, tag, reason, isServed, collections }: SettingsState) {
  return privateReply(
    { file, text, is_served: isServed, editable: reason === null, reason, collections },
    { ETag: tag },
  );
}

function privateReply(body: Parameters<typeof plainJson>[0], headers = {}) {
  return json(200, plainJson(body), { 'Cache-Control': 'private, no-store', ...headers });
}

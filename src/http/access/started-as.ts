/** How the server was started. */
import Type, { type Static } from 'typebox';

export const startedAsSchema = Type.Object(
  {
    program: Type.String({ description: 'The words before a command, such as shelf.' }),
    start: Type.String({ description: 'The words before the flags of a start; empty in a container.' }),
    data: Type.String({ description: 'The flags of its configuration file and database.' }),
    others: Type.String({ description: 'Its other flags and settings, but --auth, as flags.' }),
    trust: Type.String({ description: 'The file with the certificate that clients must be given; empty if none.' }),
  },
  { description: 'How the server was started; only for callers with the scope admin.' },
);

export type StartedAs = Static<typeof startedAsSchema>;

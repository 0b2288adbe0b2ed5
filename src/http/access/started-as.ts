/** How the server was started. */
import Type, { type Static } from 'typebox';

export const startedAsSchema = Type.Object(
  {
    program: Type.String({ description: 'The words before a command, such as shelf.' }),
    data: Type.String({ description: 'The flags of its configuration file and database.' }),
    address: Type.String({ description: 'The flags of its host and port.' }),
  },
  { description: 'How the server was started; only for callers with the scope admin.' },
);

export type StartedAs = Static<typeof startedAsSchema>;

/** `shelf init`: a first configuration file. */
import { writeFileSync } from 'node:fs';
import { StartError } from '../../domain/errors.ts';
import { defaultFile } from '../config/config-file.ts';

export const exampleFile = `{
  // Editors complete and check this file by the schema, while the server runs.
  "$schema": "http://127.0.0.1:8000/shelf.schema.json",
  "collections": {
    "authors": {
      "singular": "author",
      "fields": {
        "name": { "type": "text", "max": 200 },
        "born": { "type": "date", "optional": true }
      }
    },
    "books": {
      "singular": "book",
      "fields": {
        "title": "text",
        "isbn": { "type": "text", "pattern": "^[0-9]{13}$", "max": 13, "unique": true },
        "price": { "type": "decimal", "scale": 2, "min": "0" },
        "state": { "type": "choice", "of": ["draft", "published"], "default": "draft" },
        "tags": { "type": "list", "of": "text", "max": 20, "default": [] },
        // A book cannot be added without its author, and an author with books cannot be deleted.
        "author": { "type": "reference", "to": "authors", "on_delete": "restrict" }
      },
      // Fields that clients often sort or filter by.
      "indexes": ["state"]
    }
  },
  // Any setting of --help, by the name of its flag.
  "settings": { "port": 8000 }
}
`;

/** Returns the text to print. Never overwrites a file. */
export function init(to = defaultFile): string {
  try {
    writeFileSync(to, exampleFile, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new StartError(
      code === 'EEXIST'
        ? `${to} exists already: edit it, or choose another name with shelf init FILE.`
        : `Cannot write ${to} (${message}): check the path and its permissions.`,
    );
  }
  const option = to === defaultFile ? '' : ` --config ${to}`;
  return `${to} is written: two collections, authors and books, as an example.

Next:
  1. Edit it: every type and option is in docs/collections.md.
  2. Check it:  shelf check ${to}
  3. Serve it:  shelf${option}    (from a checkout: npm start${option === '' ? '' : ` --${option}`})
  4. Open http://127.0.0.1:8000/docs and add a record.
`;
}

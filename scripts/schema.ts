/** npm run schema: writes shelf.schema.json, the JSON Schema of configuration files, which is shipped and served. */
import { join } from 'node:path';
import { configSchema } from '../src/cli/config/file-schema.ts';

export const schemaPath = join(import.meta.dir, '../shelf.schema.json');
export const schemaText = () => `${JSON.stringify(configSchema(), null, 2)}\n`;

if (import.meta.main) await Bun.write(schemaPath, schemaText());

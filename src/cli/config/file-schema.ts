/** The JSON Schema of the configuration file, with all settings. */
import Type from 'typebox';
import { collections } from '../../collections/registry.ts';
import { fileSchema } from '../../declarations/schema.ts';
import { allSettings } from '../settings/settings.ts';

export function configSchema(): object {
  const settings = allSettings
    .filter(({ inFile }) => inFile !== false)
    .map(({ flag, help, default: preset }) => {
      const description = `${help} Default ${preset}.`;
      // A switch, and any other setting that can be off.
      return [flag.slice(2), Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description })] as const;
    });
  return fileSchema(
    Object.fromEntries(settings),
    collections.map(({ name }) => name),
  );
}

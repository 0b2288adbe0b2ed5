/** The files that are tested: `npm run release` sets RELEASED to their folder, and `npm test` makes its own. */
import packageJson from '../../package.json' with { type: 'json' };

export const released = process.env.RELEASED;
export const { version } = packageJson;

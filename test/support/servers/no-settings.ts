/** For an app without a server around it. */
import type { ServedSettings } from '../../../src/http/admin/settings.ts';

const none = async () => {
  throw new Error('this app has no configuration file');
};

export const noSettings: ServedSettings = { current: none, plan: none, change: none };

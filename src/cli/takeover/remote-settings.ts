/** The configuration file as other threads see it: the main thread reads and changes it. */
import type { ServedSettings } from '../../http/admin/settings.ts';
import type { Calls } from '../../threads/calls.ts';

/** Served by the main thread. */
export type SettingsCalls = {
  readSettings: ServedSettings['current'];
  planSettings: ServedSettings['plan'];
  changeSettings: ServedSettings['change'];
};

export function settingsCalls(settings: ServedSettings): SettingsCalls {
  return {
    readSettings: () => settings.current(),
    planSettings: (text) => settings.plan(text),
    changeSettings: (...change) => settings.change(...change),
  };
}

export function settingsOverMain(main: Calls<SettingsCalls>): ServedSettings {
  return {
    current: () => main.readSettings(),
    plan: (text) => main.planSettings(text),
    change: (...change) => main.changeSettings(...change),
  };
}

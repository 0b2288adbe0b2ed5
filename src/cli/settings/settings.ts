/** Every setting, once, in groups. */
import { access } from './access.ts';
import { database } from './database.ts';
import { limits } from './limits.ts';
import { log } from './log.ts';
import { server } from './server.ts';
import type { Setting } from './setting.ts';
import { tls } from './tls.ts';

export const settings = { server, tls, database, access, limits, log };

type Settings = typeof settings;
type Values<Group> = { readonly [Name in keyof Group]: Group[Name] extends Setting<infer Value> ? Value : never };

/** The value of each setting, in the same groups. */
export type Config = { readonly [Group in keyof Settings]: Values<Settings[Group]> };

export const allSettings: readonly Setting<unknown>[] = Object.values(settings).flatMap((group) =>
  Object.values<Setting<unknown>>(group),
);

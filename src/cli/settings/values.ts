/** How the values of settings are read; undefined where the text is none. Kinds of values that several settings have. */
import { isIP } from 'node:net';
import type { Rate } from '../../http/limits/rate-limit.ts';
import { isHost } from '../../wire/request/host.ts';
import type { Setting } from './setting.ts';

export function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,7})\/([smh])$/.exec(text);
  const count = Number(match?.[1] ?? 0);
  const seconds = { s: 1, m: 60, h: 3600 }[match?.[2] ?? ''];
  return count < 1 || seconds === undefined ? undefined : { count, seconds };
}

/** A star, or origins as browsers send them: an origin with a star in it would never match. */
export function parseOrigins(text: string): readonly string[] | undefined {
  if (text === '*') return ['*'];
  const origins = text.split(',');
  const right = (origin: string) => !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
  return origins.every(right) ? origins : undefined;
}

/** As they stand in a Host header, but for the port; an IPv6 address with or without brackets. */
export function parseHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((host) => (isIP(host) === 6 ? `[${host}]` : host));
  return hosts.every((host) => isHost(host) && !/[*]|:\d*$|^$/.test(host)) ? hosts : undefined;
}

/** Ids of clients at issuers, separated by commas. */
export function parseClients(text: string): readonly string[] | undefined {
  return listed(text, /^[!-+\--~]{1,250}$/);
}

/** Lists of scopes (RFC 6749, section 3.3), separated by commas. */
export function parseScopes(text: string): readonly string[] | undefined {
  return listed(text, /^[!#-+\--[\]-~]+( [!#-+\--[\]-~]+)*$/);
}

function listed(text: string, one: RegExp): readonly string[] | undefined {
  const values = text.split(',').map((value) => value.trim());
  return values.every((value) => one.test(value)) ? values : undefined;
}

export function parseSwitch(text: string): boolean | undefined {
  return { on: true, off: false }[text];
}

export function parsePort(text: string, least: number): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port >= least && port <= 65535 ? port : undefined;
}

export function parseCount(text: string, least: number, most: number): number | undefined {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return count >= least && count <= most ? count : undefined;
}

function parseTime(text: string, least: number, most: number): number | undefined {
  const match = /^(\d{1,7})(ms|s)$/.exec(text);
  const time = Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1);
  return time >= least && time <= most ? time : undefined;
}

export function parseDate(text: string): Date | undefined {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

export function parseDays(text: string): number | undefined {
  const match = /^(\d{1,5})([hd])$/.exec(text);
  const hours = Number(match?.[1]) * (match?.[2] === 'd' ? 24 : 1);
  return hours >= 1 && hours <= 3650 * 24 ? hours * 3_600_000 : undefined;
}

export function parseSize(text: string, least: number, most: number): number | undefined {
  const match = /^(\d{1,12})(KiB|MiB)?$/i.exec(text);
  if (match === null) return undefined;
  const unit = { kib: 1024, mib: 1024 ** 2 }[match[2]?.toLowerCase() ?? ''] ?? 1;
  const size = Number(match[1]) * unit;
  return size >= least && size <= most ? size : undefined;
}

type Kind<Value> = Pick<Setting<Value>, 'value' | 'expected' | 'parse'>;

/** Stands for the value of a setting that is on or off; its flag alone means on. */
export const switchValue = 'SWITCH';
export const onOff: Kind<boolean> = { value: switchValue, expected: 'on or off', parse: parseSwitch };

/** In milliseconds, from texts such as `100ms` and `3600s`. */
export function duration(least: string, most: string, examples: string): Kind<number> {
  const [from = 0, to = 0] = [least, most].map((text) => parseTime(text, 0, Number.POSITIVE_INFINITY));
  const expected = `a time from ${least} to ${most}, such as ${examples}`;
  return { value: 'TIME', expected, parse: (text) => parseTime(text, from, to) };
}

/** In milliseconds, from texts such as `12h` and `7d`. */
export function days(examples: string): Kind<number> {
  return { value: 'TIME', expected: `a time from 1h to 3650d, such as ${examples}`, parse: parseDays };
}

export function count(least: number, most: number): Kind<number> {
  const expected = `a number from ${least} to ${most}`;
  return { value: 'NUMBER', expected, parse: (text) => parseCount(text, least, most) };
}

/** In bytes. */
export function size(mostMebibytes: number, examples: string): Kind<number> {
  const expected = `a size from 1 byte to ${mostMebibytes}MiB, such as ${examples}`;
  return { value: 'SIZE', expected, parse: (text) => parseSize(text, 1, mostMebibytes * 1024 ** 2) };
}

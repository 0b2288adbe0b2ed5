/** What the server reports. */
import { type LogLevel, logLevels } from '../../http/observe/log-entry.ts';
import { setting, switchValue } from './setting.ts';
import { parseSwitch, parseTime } from './values.ts';

export type LogFormat = 'auto' | 'json' | 'text' | 'off';

export const log = {
  format: setting<LogFormat>({
    flag: '--log',
    env: 'SHELF_LOG',
    value: 'FORMAT',
    default: 'auto',
    help: 'Request log: json, text, off (errors only), or auto (text on a terminal, else json).',
    expected: 'json, text, off or auto',
    parse: (text) => (['auto', 'json', 'text', 'off'] as const).find((format) => format === text),
  }),
  level: setting<LogLevel>({
    flag: '--log-level',
    env: 'SHELF_LOG_LEVEL',
    value: 'LEVEL',
    default: 'info',
    help: 'Lowest level that is logged: info (every request), warn (slow requests and worse), error.',
    expected: `one of ${logLevels.join(', ')}`,
    parse: (text) => logLevels.find((level) => level === text),
  }),
  slow: setting<number>({
    flag: '--slow',
    env: 'SHELF_SLOW',
    value: 'TIME',
    default: '1s',
    help: 'Duration, in ms or s, from which a request is logged as slow, with a breakdown of its time.',
    expected: 'a time from 1ms to 3600s, such as 250ms or 1s',
    parse: (text) => parseTime(text, 1, 3_600_000),
  }),
  metrics: setting<boolean>({
    flag: '--metrics',
    env: 'SHELF_METRICS',
    value: switchValue,
    default: 'off',
    help: 'Metrics for Prometheus at /metrics.',
    expected: 'on or off',
    parse: parseSwitch,
  }),
};

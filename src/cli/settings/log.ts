/** What the server reports. */
import { type LogLevel, logLevels } from '../../http/observe/log-entry.ts';
import { optionalSetting, setting } from './setting.ts';
import { duration, onOff } from './values.ts';

export type LogFormat = 'auto' | 'json' | 'text' | 'off';

export const log = {
  format: setting<LogFormat>({
    flag: '--log',
    value: 'FORMAT',
    default: 'auto',
    help: 'Request log: json, text, off (errors only), or auto (text on a terminal, else json).',
    expected: 'json, text, off or auto',
    parse: (text) => (['auto', 'json', 'text', 'off'] as const).find((format) => format === text),
  }),
  level: setting<LogLevel>({
    flag: '--log-level',
    value: 'LEVEL',
    default: 'info',
    help: 'Lowest level that is logged: info (every request), warn (slow requests and worse), error.',
    expected: `one of ${logLevels.join(', ')}`,
    parse: (text) => logLevels.find((level) => level === text),
  }),
  slow: setting({
    flag: '--slow',
    default: '1s',
    help: 'Duration, in ms or s, from which a request is logged as slow, with a breakdown of its time.',
    ...duration('1ms', '3600s', '250ms or 1s'),
  }),
  audit: optionalSetting<string>({
    flag: '--audit',
    value: 'FILE',
    help: 'File to which each refused request (401, 403) and each change of an API key or of the configuration file is appended, as one JSON line; none for no such file.',
    expected: 'the path of a file, or none',
    parse: (text) => (text === '' ? undefined : text),
  }),
  metrics: setting({
    flag: '--metrics',
    default: 'off',
    help: 'Metrics for Prometheus at /metrics.',
    ...onOff,
  }),
};

/** How much at once, and how long. */

import { setting } from './setting.ts';
import { count, duration, size } from './values.ts';

export const limits = {
  maxBody: setting({
    flag: '--max-body',
    default: '1MiB',
    help: 'Maximum size of a request body, in bytes or with KiB or MiB.',
    ...size(1024, '65536, 512KiB or 1MiB'),
  }),
  maxBulk: setting({
    flag: '--max-bulk',
    default: '1024MiB',
    help: 'Maximum size of a bulk body (one record per line), in bytes or with KiB or MiB; --max-body limits each line.',
    ...size(65536, '64MiB'),
  }),
  maxSpool: setting({
    flag: '--max-spool',
    default: '4096MiB',
    help: 'Maximum disk space for bulk bodies and lists of slow readers together, in bytes or with KiB or MiB; at least --max-bulk.',
    ...size(1048576, '4096MiB'),
  }),
  maxConnections: setting({
    flag: '--max-connections',
    default: '10000',
    help: 'Maximum open connections; over the limit, only health checks are served.',
    ...count(1, 900_000),
  }),
  maxRequests: setting({
    flag: '--max-requests',
    default: '2000',
    help: 'Maximum requests in flight, counted once their body has arrived; over the limit, requests get 503.',
    ...count(1, 100_000),
  }),
  maxListeners: setting({
    flag: '--max-listeners',
    default: '5000',
    help: 'Maximum listeners to the live feed; over the limit, requests get 503.',
    ...count(1, 100_000),
  }),
  requestTimeout: setting({
    flag: '--request-timeout',
    default: '60s',
    help: 'How long a request may take, in s; after that it gets 503.',
    ...duration('1s', '3600s', '60s'),
  }),
  bulkTimeout: setting({
    flag: '--bulk-timeout',
    default: '3600s',
    help: 'How long a bulk body may take to arrive, in s; after that it gets 408; at least --request-timeout.',
    ...duration('1s', '86400s', '600s'),
  }),
  keepAlive: setting({
    flag: '--keep-alive',
    default: '75s',
    help: 'How long an idle connection stays open, in s; set it longer than the idle timeout of the proxy in front.',
    ...duration('1s', '3600s', '75s'),
  }),
};

import { expect, test } from 'bun:test';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { TlsFolder } from '../../../test/support/servers/network/tls.ts';
import type { Entry } from '../../http/observe/log-entry.ts';
import { Renewal } from './certificate-renewal.ts';
import { readCertificate } from './certificates.ts';

const day = 24 * 60 * 60 * 1000;

test('a renewed certificate is reported when all threads use it, and not before', async () => {
  const files = new TlsFolder(temporaryFolder());
  const paths = { cert: files.cert, key: files.key, clientCa: undefined };
  const log: Entry[] = [];
  const threads = Promise.withResolvers<void>();
  const used: string[] = [];
  const renewal = new Renewal(
    readCertificate(paths, new Date()),
    paths,
    (given) => {
      used.push(given.cert);
      return threads.promise;
    },
    (entry) => log.push(entry),
  );
  try {
    const expiry = async () => (await renewal.gauge.read())[0]?.value;
    const before = (await expiry()) ?? 0;
    const { cert } = files.renew({ to: new Date(Date.now() + 400 * day) });
    const checked = renewal.check();
    // A check while the threads renew does not begin again.
    await renewal.check();
    expect(used).toEqual([cert]);
    expect(log).toEqual([]);
    expect(await expiry()).toBeLessThanOrEqual(before);

    threads.resolve();
    await checked;
    expect(log).toMatchObject([{ level: 'info', event: 'certificate' }]);
    expect(await expiry()).toBeGreaterThan(before);
  } finally {
    renewal.stop();
  }
});

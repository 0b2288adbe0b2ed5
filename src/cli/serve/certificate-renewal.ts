/**
 * Replaces the certificate when its files change. The files are read again and again, because notifications about
 * files do not work everywhere, such as for the links of a Kubernetes secret.
 */
import type { Log } from '../../http/observe/log-entry.ts';
import type { Gauge } from '../../http/observe/metrics.ts';
import type { TlsFiles } from '../../wire/port/tls.ts';
import { type Certificate, readCertificate, readFiles, type TlsPaths } from './certificates.ts';

const checkMs = 1000;

export class Renewal {
  #current: Certificate;
  /** Of the last check, whether it can be used or not. */
  #seen: string;
  /** The files of the last check cannot be used, and no warning was logged yet. */
  #isPending = false;
  readonly #timer: Timer;

  constructor(
    first: Certificate,
    readonly paths: TlsPaths,
    /** Resolves when all threads use them. */
    readonly use: (files: TlsFiles) => Promise<void>,
    readonly log: Log,
  ) {
    this.#current = first;
    this.#seen = JSON.stringify(first.files);
    this.#timer = setInterval(() => this.check(), checkMs);
  }

  /** For Prometheus. */
  get gauge(): Gauge {
    return {
      name: 'shelf_tls_expiry_seconds',
      help: 'Time until the certificate in use expires; negative after that.',
      onOneThread: true,
      read: () => [{ value: Math.round((this.#current.expires.getTime() - Date.now()) / 1000) }],
    };
  }

  /**
   * Files that cannot be used are reported at the second check that finds them, because certificate and key are
   * replaced one after the other.
   */
  async check(): Promise<void> {
    const content = this.#content();
    const changed = content !== this.#seen;
    if (!changed && !this.#isPending) return;
    this.#seen = content;
    try {
      const renewed = readCertificate(this.paths, new Date());
      await this.use(renewed.files);
      this.#current = renewed;
      this.#isPending = false;
      const until = renewed.expires.toISOString();
      this.log({
        level: 'info',
        event: 'certificate',
        message: `Using the renewed certificate ${renewed.name}, valid until ${until}.`,
      });
    } catch (error) {
      this.#isPending = changed;
      if (changed) return;
      const reason = error instanceof Error ? error.message : String(error);
      const until = this.#current.expires.toISOString();
      this.log({
        level: 'warn',
        event: 'certificate',
        message: `The certificate in use, valid until ${until}, was not replaced. ${reason}`,
      });
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #content(): string {
    try {
      return JSON.stringify(readFiles(this.paths));
    } catch (error) {
      return String(error);
    }
  }
}

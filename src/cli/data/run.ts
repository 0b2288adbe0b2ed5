/** Runs a command for whole databases. */
import type { Command } from '../config/config.ts';
import { exportDatabase } from './export.ts';
import { importExport } from './import-export.ts';
import { onInterrupt } from './interrupt.ts';
import { move } from './move.ts';
import { restore } from './restore.ts';
import { verifyDatabase } from './verify.ts';

/** Returns the text to print, with a last line that says what was done, and the exit code. */
export async function runDataCommand(
  { order, collections, config }: Extract<Command, { kind: 'data' }>,
  version: string,
): Promise<{ readonly text: string; readonly code: number }> {
  const { database } = config;
  const stopping = (advice: string) => ({
    collections,
    database,
    version,
    screen: process.stderr,
    signal: onInterrupt(advice),
  });
  const unchanged = (what: string) => stopping(`${what} is as it was: run the same command again.`);
  const done = async (line: Promise<string>) => ({ text: await line, code: 0 });
  const { url } = database;
  switch (order.kind) {
    case 'export':
      return done(exportDatabase(url, order.to, stopping('Nothing was exported: run the same command again.')));
    case 'import':
      return done(importExport(url, order.from, order.merges, unchanged('The database')));
    case 'move':
      return done(move(order.from, order.to, unchanged('The target')));
    case 'restore':
      return done(restore(url, order.from, unchanged('The database')));
    case 'verify': {
      const { text, isRight } = await verifyDatabase(url, stopping('Not everything was verified.'));
      return { text, code: isRight ? 0 : 1 };
    }
  }
}

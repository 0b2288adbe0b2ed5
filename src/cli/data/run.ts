/** Runs a command for whole databases. */
import type { Command } from '../config.ts';
import { exportDatabase } from './export.ts';
import { importExport } from './import-export.ts';
import { onInterrupt } from './interrupt.ts';
import { move } from './move.ts';

/** Returns the line that says what was done. */
export async function runDataCommand(
  { order, collections, config }: Extract<Command, { kind: 'data' }>,
  version: string,
): Promise<string> {
  const { database } = config;
  const stopping = (advice: string) => ({
    collections,
    database,
    version,
    screen: process.stderr,
    signal: onInterrupt(advice),
  });
  const unchanged = (what: string) => stopping(`${what} is as it was: run the same command again.`);
  switch (order.kind) {
    case 'export':
      return exportDatabase(database.url, order.to, stopping('Nothing was exported: run the same command again.'));
    case 'import':
      return importExport(database.url, order.from, order.merges, unchanged('The database'));
    case 'move':
      return move(order.from, order.to, unchanged('The target'));
  }
}

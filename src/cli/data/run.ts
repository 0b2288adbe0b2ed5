/** Runs a command for whole databases. */
import type { Command } from '../config.ts';
import { onInterrupt } from './interrupt.ts';
import { move } from './move.ts';

/** Returns the line that says what was done. */
export async function runDataCommand(
  { order, collections, config }: Extract<Command, { kind: 'data' }>,
  version: string,
): Promise<string> {
  const options = { collections, database: config.database, version, screen: process.stderr };
  const signal = onInterrupt('The target is as it was: run the same command again.');
  return move(order.from, order.to, { ...options, signal });
}

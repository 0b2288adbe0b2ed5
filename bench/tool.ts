/** The system's own tools by their whole path: what a short PATH does not lead to cannot be started by name. */
import { systemTool } from '../scripts/system-tool.ts';

export function tool(name: 'nice' | 'pgrep' | 'taskset' | 'wrk'): string {
  return systemTool(name) ?? name;
}

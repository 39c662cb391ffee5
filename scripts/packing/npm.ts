/**
 * Runs the npm that runs this script, or the one on the path, and returns its output; errors are
 * printed.
 */
import { execFileSync } from "node:child_process";

export function npm(folder: string, ...args: readonly string[]): string {
  const own = process.env["npm_execpath"];
  const [command, before] = own === undefined ? ["npm", []] : [process.execPath, [own]];
  return execFileSync(command, [...before, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

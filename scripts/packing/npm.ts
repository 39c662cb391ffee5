/** Runs the npm that runs this, or the one on the path, and gives what it prints; what it complains of is shown. */
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

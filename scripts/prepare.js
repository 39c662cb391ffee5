/*
 * After `npm ci`: builds the console, so that `npm start` shows it. It is plain old JavaScript,
 * because npm may run it on a Node that is too old for everything else; the build then runs on the
 * Node of the checkout. Without development dependencies nothing is built or printed, and the
 * service runs without its console.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const own = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const node = existsSync(own) ? own : process.execPath;

if (existsSync(join(root, "node_modules", "vite"))) {
  const { status } = spawnSync(node, [join(root, "scripts", "build-console.ts")], { stdio: "inherit" });
  if (status !== 0) console.error("The console could not be built; `npm run build:console` says why.");
}

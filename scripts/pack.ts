/**
 * Packs what is published: a fresh build with the address of this checkout in it. `package.json`
 * names the repository and where to report faults, and the pages' links that lead out of the
 * package lead there, to the exact tag or commit. All of that is done in a copy, so that a checkout
 * never changes. Publish the packed file (`npm publish ninefold-….tgz`): given a folder, `npm
 * publish` sends the registry the folder's own `package.json`.
 *
 *   npm run package                                                # the address is that of the git remote `origin`
 *   npm run package -- --repository https://host/owner/name        # or this one
 *   npm run package -- --like gitlab                               # how an unknown host links files
 *   npm run package -- --to FOLDER --built                         # into another folder; with `dist` as it is
 *
 * Without an address it packs all the same, prints that, and marks the package so that npm doesn't
 * publish it.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { absoluteLinks } from "./packing/absolute-links.ts";
import { type Address, addressOf, isChanged, NoAddress, type StatedAddress } from "./packing/address.ts";
import { npm } from "./packing/npm.ts";

const { values: options } = parseArgs({
  options: {
    repository: { type: "string" },
    like: { type: "string" },
    to: { type: "string", default: "." },
    built: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const address = stated({ repository: options.repository, like: options.like, version: manifest.version });
if (!options.built) npm(root, "run", "--silent", "build");

const copy = mkdtempSync(join(tmpdir(), "ninefold-packed-"));
try {
  const [{ files }] = JSON.parse(npm(root, "pack", "--dry-run", "--json", "--ignore-scripts", "--silent"));
  const paths: readonly string[] = files.map((file: { readonly path: string }) => file.path);
  for (const path of paths) cpSync(join(root, path), join(copy, path));
  writeFileSync(
    join(copy, "package.json"),
    `${JSON.stringify({ ...manifest, ...fieldsOf(address) }, null, 2)}\n`,
  );
  for (const path of paths.filter((path) => path.endsWith(".md") && address !== undefined))
    state(path, address as Address);
  console.log(
    npm(copy, "pack", "--ignore-scripts", "--silent", "--pack-destination", resolve(options.to)).trim(),
  );
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function stated(by: StatedAddress): Address | undefined {
  try {
    const found = addressOf(root, by);
    if (isChanged(root))
      console.error("What is packed differs from the commit that its links lead to: commit first.");
    return found;
  } catch (error) {
    if (!(error instanceof NoAddress)) throw error;
    console.error(
      `No address is stated, so that this package can be tried and not published: ${error.message}`,
    );
    return undefined;
  }
}

function fieldsOf(where: Address | undefined): object {
  if (where === undefined) return { private: true };
  return {
    homepage: `${where.page}#readme`,
    bugs: { url: where.issues },
    repository: { type: "git", url: `git+${where.page}.git` },
  };
}

function state(path: string, where: Address): void {
  const place = { packed: copy, checkout: root, address: where };
  writeFileSync(join(copy, path), absoluteLinks(readFileSync(join(root, path), "utf8"), path, place));
}

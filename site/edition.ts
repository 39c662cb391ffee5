/**
 * Edition of a build: the version of the documentation, which is the checkout or an earlier
 * revision in its own folder. `build.ts` passes it to the builds of earlier versions, which are
 * separate processes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One version, and the location of its pages in the site. */
export interface Version {
  /** `0.2.0`; `next` if the checkout is newer than the version that it states. */
  readonly name: string;
  /** Relative to the path of the site: empty for the checkout, `0.1.0/` for an earlier version. */
  readonly folder: string;
}

interface Edition {
  /** The folder with the pages' sources. */
  readonly root: string;
  readonly version: string;
  /** All versions of the site, the checkout's first. */
  readonly versions: readonly Version[];
}

const checkout = join(import.meta.dirname, "..");

/** The version that a checkout or an archive of it states. */
export function versionOf(root: string): string {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
}

export const editionVariable = "NINEFOLD_SITE_EDITION";

const stated = process.env[editionVariable];
export const edition: Edition =
  stated === undefined
    ? { root: checkout, version: versionOf(checkout), versions: [{ name: versionOf(checkout), folder: "" }] }
    : JSON.parse(stated);

/** Earlier versions have neither a playground nor a link to it. */
export const isCurrent = edition.version === edition.versions[0]?.name;

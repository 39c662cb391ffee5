/**
 * The public address of a checkout, which the publisher states in one place: the git remote
 * `origin`, or `--repository`. Nothing is guessed: an address that isn't a public page is reported,
 * and so is a host whose link format is unknown.
 */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";

export interface Address {
  /** `https://host/owner/name` */
  readonly page: string;
  readonly issues: string;
  /**
   * The page that shows a file or folder of exactly the packed commit, and the URL of a file's
   * bytes.
   */
  shown(path: string, isFolder: boolean): string;
  raw(path: string): string;
}

/** Why no address is stated, in words that follow "No address is stated: ". */
export class NoAddress extends Error {}

interface Links {
  readonly issues: string;
  readonly folder: string;
  readonly file: string;
  readonly raw: string;
}

/** The link formats of hosts for a commit or tag. */
const kinds: Readonly<Record<string, Links>> = {
  github: { issues: "issues", folder: "tree/REF", file: "blob/REF", raw: "raw/REF" },
  gitlab: { issues: "-/issues", folder: "-/tree/REF", file: "-/blob/REF", raw: "-/raw/REF" },
  forgejo: { issues: "issues", folder: "src/KIND/REF", file: "src/KIND/REF", raw: "raw/KIND/REF" },
  bitbucket: { issues: "issues", folder: "src/REF", file: "src/REF", raw: "raw/REF" },
};

const kindOfHost: Readonly<Record<string, string>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "codeberg.org": "forgejo",
  "bitbucket.org": "bitbucket",
};

export interface StatedAddress {
  /** Takes precedence over the remote. */
  readonly repository?: string | undefined;
  /** The link format of an unknown host. */
  readonly like?: string | undefined;
  readonly version: string;
}

/** Throws {@link NoAddress} if none is stated. */
export function addressOf(root: string, { repository, like, version }: StatedAddress): Address {
  const stated = repository ?? git(root, "config", "--get", "remote.origin.url");
  if (stated === undefined)
    throw new NoAddress(
      "this checkout has no git remote `origin`. Add it, or give `npm run package -- --repository https://host/owner/name`.",
    );
  const page = pageOf(stated);
  const host = new URL(page).host;
  const kind = like ?? kindOfHost[host];
  const links = kinds[kind ?? ""];
  if (links === undefined)
    throw new NoAddress(
      `how ${host} links a file isn't known. Say what it is like: \`npm run package -- --like ${Object.keys(kinds).join("|")}\`.`,
    );
  const { ref, refKind } = refOf(root, version);
  const at = (form: string, path: string) =>
    encodeURI([page, form.replace("KIND", refKind).replace("REF", ref), path].join("/"));
  return {
    page,
    issues: `${page}/${links.issues}`,
    shown: (path, isFolder) => at(isFolder ? links.folder : links.file, path),
    raw: (path) => at(links.raw, path),
  };
}

/**
 * The page of a remote, without the user name and password that it may contain, because those
 * belong to the publisher.
 */
export function pageOf(remote: string): string {
  // `git@host:owner/name.git`, in scp syntax, is equal to `ssh://` with a slash.
  const written = remote
    .trim()
    .replace(/^git\+/, "")
    .replace(/^(?:[\w.-]+@)([\w.-]+):(?!\/)/, "ssh://$1/");
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const path = url?.pathname.replace(/\/+$/, "").replace(/\.git$/, "") ?? "";
  const isPublic =
    url !== undefined && /\.[a-z][a-z0-9-]*$/.test(url.hostname) && !/\.local(host)?$/.test(url.hostname);
  const isWhole = /^(\/[\w.~-]+){2,}$/.test(path) && url?.search === "" && url.hash === "";
  if (!isPublic || !isWhole || !["https:", "ssh:"].includes(url.protocol))
    throw new NoAddress(
      `${withoutPassword(remote)} is no address that others can open. It takes https://host/owner/name, or git@host:owner/name.git.`,
    );
  // The port of ssh doesn't belong to the page.
  return `https://${url.protocol === "ssh:" ? url.hostname : url.host}${path}`;
}

function withoutPassword(remote: string): string {
  return `"${remote.replace(/\/\/[^/@]*@/, "//")}"`;
}

/** The version's tag, if it points to this commit; else the commit. */
function refOf(root: string, version: string): { readonly ref: string; readonly refKind: string } {
  const tag = `v${version}`;
  if (git(root, "tag", "--points-at", "HEAD")?.split("\n").includes(tag)) return { ref: tag, refKind: "tag" };
  const commit = git(root, "rev-parse", "--verify", "HEAD");
  if (commit === undefined) throw new NoAddress("there is no commit yet that a link could lead to.");
  return { ref: commit, refKind: "commit" };
}

/** Whether a tracked file differs from the commit that links lead to. */
export function isChanged(root: string): boolean {
  return git(root, "status", "--porcelain", "--untracked-files=no") !== undefined;
}

/**
 * The output of git for this checkout; undefined if there is none. A folder inside another checkout
 * doesn't count.
 */
function git(root: string, ...args: readonly string[]): string | undefined {
  const gitConfig = (args: readonly string[]): string | undefined => {
    try {
      const stated = execFileSync("git", args, {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      return stated.trim() === "" ? undefined : stated.trim();
    } catch {
      return undefined;
    }
  };
  const top = gitConfig(["rev-parse", "--show-toplevel"]);
  return top !== undefined && realpathSync(top) === realpathSync(root) ? gitConfig(args) : undefined;
}

/**
 * The browser of the development dependencies, unpacked with its libraries, which a machine without
 * any browser often lacks. It is unpacked once for each machine. Test files that run in parallel
 * each unpack a copy; the first complete one is moved into place, and no test uses a partial one.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";

const files = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];

export interface PackagedBrowser {
  readonly executablePath: string;
  /** Environment variables of the browser, in addition to those of the tests. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function unpackedBrowser(): Promise<PackagedBrowser> {
  const folder = packageFolder();
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const place = join(tmpdir(), `ninefold-browser-${version}`);
  if (!existsSync(place)) await unpack(join(folder, "bin"), place);
  const fontsFile = join(place, "fonts.conf");
  writeFileSync(fontsFile, fontsText(place));
  return {
    executablePath: join(place, "chromium"),
    environment: {
      LD_LIBRARY_PATH: [join(place, "al2023", "lib"), process.env["LD_LIBRARY_PATH"] ?? ""]
        .filter((path) => path !== "")
        .join(":"),
      FONTCONFIG_FILE: fontsFile,
    },
  };
}

/**
 * The packaged list of fonts names folders of another kind of machine. Without fonts no glyph is
 * drawn: every text is then zero pixels wide, and everything fits everywhere.
 */
function fontsText(place: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(place, "fonts")}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(place, "fonts-cache")}</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}

function packageFolder(): string {
  const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  let folder = dirname(entry);
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

async function unpack(from: string, place: string): Promise<void> {
  const temporary = process.env["TMPDIR"];
  const own = mkdtempSync(join(tmpdir(), "ninefold-browser-new-"));
  // The package unpacks to the folder of temporary files.
  process.env["TMPDIR"] = own;
  try {
    await Promise.all(files.map((file) => inflate(join(from, file))));
  } finally {
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
  }
  try {
    renameSync(own, place);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

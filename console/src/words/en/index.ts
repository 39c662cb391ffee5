/** English: the language that all others have the messages of. One file for each page, one for the shell and one for the common parts. */
import { document } from "./document.ts";
import { overview } from "./overview.ts";
import { parts } from "./parts.ts";
import { shell } from "./shell.ts";

export const en = { shell, parts, overview, document } as const;

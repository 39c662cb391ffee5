/** The document that trials deploy, from the quickstart, and the same with one more field. */
import { textOf } from "../repository/repository.ts";

/** Anyone may call its `/books`. */
export const bookList =
  /````markdown books\.md\n([\s\S]*?)````/.exec(textOf("docs/quickstart/backend.md"))?.[1] ?? "";

export const bookListWithAuthor = bookList.replace(
  /(\| pages .*\n)/,
  "$1| author | string | trimmed, length 1..100 |\n",
);

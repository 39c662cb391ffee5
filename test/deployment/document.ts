/**
 * Documents that trials deploy: the quickstart with a higher rate, and the same with an additional
 * field.
 */
import { textOf } from "../repository/repository.ts";

const [, text = ""] =
  /````markdown books\.md\n([\s\S]*?)````/.exec(textOf("docs/quickstart/backend.md")) ?? [];

/** Any caller may request its `/books`, as often as a trial does. */
export const bookList = text.replace("100 per minute", "10000 per second");

export const bookListWithAuthor = bookList.replace(
  /(\| pages .*\n)/,
  "$1| author | string | trimmed, length 1..100 |\n",
);

/** What a migration depends on, as text: the first part of messages, with or without a store. */
import type { Question } from "../../migrate.ts";

export function questionText(question: Question): string {
  const { table } = question;
  switch (question.kind) {
    case "no records":
      return `${table}: the resource`;
    case "nothing said":
      return `${table}.${question.column.name}: its value`;
    case "no parts lost":
      return `${table}.${question.column}: parts of it`;
    case "none marked":
      return `${table} no longer keeps deleted records`;
    case "known":
      return `${table}.${question.column} is now a reference to ${question.to}`;
    case "empty to convert":
      return `${table}.${question.column} was ${question.from} and is now ${question.to}`;
    case "no references":
      return `${table}.${question.column} refers to ${question.to}, which now has another identifier`;
    case "none null":
      return question.alwaysSet
        ? `${table}.${question.column} now has a value in every new record (\`nullable\` in its row allows null)`
        : `${table}.${question.column} is now required`;
    case "no records to fill":
      return question.alwaysSet
        ? `${table}.${question.column} is new, and has a value in every new record (\`nullable\` in its row allows null)`
        : `${table}.${question.column} is new and required without a constant default`;
    case "was computed":
      return `${table}.${question.column}${question.at ?? ""} was computed when read (\`${question.text}\`) and is now stored`;
    case "only values":
      return `${table}.${question.column} must now be one of ${question.values.join(", ")}`;
    case "no repeats":
      return `${table}: ${[...question.columns, ...question.filled].join(", ")} must now be unique`;
    case "rules":
      return rulesText(question);
    case "record rule":
      return `${table} has a new rule`;
  }
}

function rulesText({ table, column, changes }: Extract<Question, { readonly kind: "rules" }>): string {
  const places = Map.groupBy(changes, ({ now }) => now?.at ?? "");
  const words = [...places].map(
    ([at, own]) => `${table}.${column}${at} is now ${own.map(({ now }) => now?.words).join(", ")}`,
  );
  return words.join("; ");
}

/** Words of the page that shows the document. */
export const document = {
  title: "Document",
} as const;

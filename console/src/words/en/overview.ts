/** Words of the overview. */
export const overview = {
  title: "Overview",
} as const;

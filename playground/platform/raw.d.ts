/** A text file as a value, which the build reads. */
declare module "*?raw" {
  const text: string;
  export default text;
}

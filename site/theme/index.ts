/** The site's theme: the generator's own with the fonts of the reader's system, and colours with enough contrast. */
import theme from "vitepress/theme-without-fonts";
import "./colours.css";

export default theme;

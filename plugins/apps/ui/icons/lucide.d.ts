/** Declared, since its inferred type would have thousands of members. */
declare module "@iconify-json/lucide/icons.json" {
  const icons: {
    prefix: string;
    width: number;
    height: number;
    icons: Record<string, { body: string; width?: number; height?: number }>;
    aliases: Record<string, { parent: string }>;
  };
  export default icons;
}

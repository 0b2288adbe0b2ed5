/** Files that are imported for their path: on disk in a checkout, inside the executable in a build. */
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string;
  export default path;
}
declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string;
  export default path;
}
declare module 'redoc/bundles/redoc.standalone.js' {
  const path: string;
  export default path;
}
declare module '*/theme.css' {
  const path: string;
  export default path;
}
declare module '*/pages.css' {
  const path: string;
  export default path;
}
declare module '*/swagger-page.css' {
  const path: string;
  export default path;
}
declare module '*/redoc-page.css' {
  const path: string;
  export default path;
}
declare module '*/redoc-page.js' {
  const path: string;
  export default path;
}
declare module '*/swagger-page.js' {
  const path: string;
  export default path;
}

/** Files that are imported for their path: on disk in a checkout, inside the executable in a build. */
declare module '*.css' {
  const path: string;
  export default path;
}
declare module '*-page.js' {
  const path: string;
  export default path;
}
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string;
  export default path;
}
declare module 'redoc/bundles/redoc.standalone.js' {
  const path: string;
  export default path;
}

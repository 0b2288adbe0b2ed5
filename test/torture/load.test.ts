import { shortForms } from './short.ts';

shortForms('load');

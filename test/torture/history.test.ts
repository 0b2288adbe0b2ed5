import { shortForms } from './short.ts';

shortForms('history');

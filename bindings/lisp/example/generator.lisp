;;;; A small site generator: makes a page of each post that has changed since the last call, and
;;;; removes the pages of posts that are gone.

(defpackage :brisk/generator
  (:use :common-lisp)
  (:export #:build))

(in-package :brisk/generator)

(defun page (post posts pages)
  "The page of a post: the same path below PAGES, with another type."
  (let ((below (subseq post (length posts))))
    (concatenate 'string pages (subseq below 0 (position #\. below :from-end t)) ".html")))

(defun render (post page)
  (ensure-directories-exist (uiop:parse-native-namestring page))
  (with-open-file (out (uiop:parse-native-namestring page) :direction :output
                                                           :if-exists :supersede)
    (format out "<!doctype html>~%<pre>~%")
    (with-open-file (in (uiop:parse-native-namestring post))
      (loop for line = (read-line in nil)
            while line
            do (loop for char across line
                     do (case char
                          (#\< (write-string "&lt;" out))
                          (#\& (write-string "&amp;" out))
                          (t (write-char char out))))
               (terpri out)))
    (format out "</pre>~%")))

(defun is-post (change)
  (and (eq :file (brisk:change-type change))
       (stringp (brisk:change-path change))
       (uiop:string-suffix-p (brisk:change-path change) ".md")))

(defun build (posts pages state)
  "Brings the pages up to date, and returns the paths of the posts that made a difference. POSTS and
PAGES are directories; STATE is the file in which brisk remembers what the posts were like."
  (flet ((forget (post)
           (brisk:delete-tree (page post posts pages) :ignore-missing)))
    (brisk:with-changed-files (changes state posts :ignore :hidden)
      (loop for change in (remove-if-not #'is-post changes)
            for post = (brisk:change-path change)
            do (when (brisk:change-old-path change)
                 (forget (brisk:change-old-path change)))
               (if (eq :deleted (brisk:change-kind change))
                   (forget post)
                   (render post (page post posts pages)))
            collect post))))

;;;; Paths: native namestrings or, where a name is no UTF-8, vectors of octets.

(in-package :brisk)

(deftype octets () '(simple-array (unsigned-byte 8) (*)))

(defun to-octets (path)
  "The octets of a path that a caller gives: a pathname, a native namestring, or octets."
  (etypecase path
    (octets path)
    (pathname (to-octets (uiop:native-namestring (uiop:ensure-absolute-pathname
                                                  path *default-pathname-defaults*))))
    (string (babel:string-to-octets path :encoding :utf-8))))

(defun from-octets (octets)
  "A string, or the octets themselves if they are no UTF-8."
  (handler-case (babel:octets-to-string octets :encoding :utf-8 :errorp t)
    (babel:character-decoding-error () octets)))

(declaim (inline join))
(defun join (prefix prefix-length pointer length)
  "The path of PREFIX-LENGTH octets at one pointer and LENGTH at another. ASCII is the fast case."
  (declare (optimize speed (safety 0))
           (type (unsigned-byte 32) prefix-length length))
  (let ((path (make-string (+ prefix-length length) :element-type 'base-char)))
    (flet ((copy (pointer length start)
             (declare (type (unsigned-byte 32) length start))
             (dotimes (at length t)
               (let ((octet (cffi:mem-aref pointer :uint8 at)))
                 (when (> octet 127)
                   (return nil))
                 (setf (schar path (the fixnum (+ start at))) (code-char octet))))))
      (if (and (copy prefix prefix-length 0) (copy pointer length prefix-length))
          path
          (let ((octets (make-array (+ prefix-length length) :element-type '(unsigned-byte 8))))
            (dotimes (at prefix-length)
              (setf (aref octets at) (cffi:mem-aref prefix :uint8 at)))
            (dotimes (at length)
              (setf (aref octets (+ prefix-length at)) (cffi:mem-aref pointer :uint8 at)))
            (from-octets octets))))))

(defun from-c (pointer)
  "The path at a pointer; NIL if that is NULL."
  (unless (cffi:null-pointer-p pointer)
    (join pointer
          (loop for length of-type fixnum from 0
                until (zerop (cffi:mem-aref pointer :uint8 length))
                finally (return length))
          pointer 0)))

(defun path-pathname (path)
  "The pathname of a path that brisk has returned. Octets that are no UTF-8 have none: an error."
  (uiop:parse-native-namestring (if (stringp path) path (babel:octets-to-string path))))

(defun call-with-strings (function paths)
  "Calls FUNCTION with an array of C strings and their number."
  (let ((strings '()) (count (length paths)))
    (with-cleanup
         (cffi:with-foreign-object (array :pointer (max count 1))
           (loop for path in paths
                 for at from 0
                 for octets = (to-octets path)
                 for size = (1+ (length octets))
                 for string = (uninterrupted
                                (first (push (cffi:foreign-alloc :uint8 :count size) strings)))
                 do (when (find 0 octets)
                      (error 'brisk-error :operation "argument" :path path :errno 22
                                          :text "a path with a NUL"))
                    (loop for octet across octets
                          for index from 0
                          do (setf (cffi:mem-aref string :uint8 index) octet))
                    (setf (cffi:mem-aref string :uint8 (length octets)) 0
                          (cffi:mem-aref array :pointer at) string))
           (funcall function array count))
      (mapc #'cffi:foreign-free strings))))

(defmacro with-strings ((array count paths) &body body)
  `(call-with-strings (lambda (,array ,count) ,@body) ,paths))
